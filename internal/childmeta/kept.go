package childmeta

import "regexp"

// ClientsKey is the key of the ConfigMap with what each client of a run has measured, as gzipped JSON.
const ClientsKey = "clients.json.gz"

// LogKey returns the key of a client's gzipped log in the ConfigMap with a run's logs. Clients count from 0.
func LogKey(client int32) string {
	if client == 0 {
		return "fio.log.gz"
	}
	return "fio." + Client(client) + ".log.gz"
}

var logKey = regexp.MustCompile(`^fio(\.client-[1-9][0-9]{0,2})?\.log\.gz$`)

// IsLogKey reports whether LogKey returns the key for some client.
func IsLogKey(key string) bool { return logKey.MatchString(key) }
