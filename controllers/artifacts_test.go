package controllers

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/workers"
)

// What etcd keeps for one benchmark is bounded; the run beyond that has its result all the same.
func TestRecordsOfClientsAreBounded(t *testing.T) {
	s := passOver(&Reconciler{}, &v1alpha1.StorageBenchmark{}) // which has no client to write with
	for range workers.MaxClientRecords / 128 {
		s.SB.Status.Runs = append(s.SB.Status.Runs, v1alpha1.Run{Clients: 128, ClientsConfigMap: "kept"})
	}
	run := &v1alpha1.Run{Clients: 2}
	if err := workers.KeepClients(t.Context(), s, run, nil); err != nil || run.ClientsConfigMap != "" {
		t.Errorf("kept in %q, %v", run.ClientsConfigMap, err)
	}
}
