package controllers

import (
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/evaluation"
)

// summarize derives the figures and lines that people read from the runs.
func summarize(s *pass.Pass) {
	evaluation.Compare(s.SB, s.SearchEnded)
	judge(s)
	evaluation.Summarize(&s.SB.Status)
}

// judge tells whether the results are as expected, when no more runs are made. Nobody is told before: a median over
// some of the repetitions is another one. While the benchmark is cleaned up a last result may still be taken, which
// counts. After the end nothing changes.
func judge(s *pass.Pass) {
	if (!s.SB.Status.HasMeasured() && !s.SB.Status.HasEnded()) || s.Before.Status.HasEnded() {
		return
	}
	if judged := evaluation.Judge(s.SB); judged != nil {
		s.SetCondition(judged.Type, judged.Status, judged.Reason, judged.Message)
	}
}
