package remote

import "strings"

// Subjects, streams and buckets on the NATS server.
const (
	gamesStream    = "ludus-games"
	gamesSubject   = "ludus.games." // prefix; run id and worker name follow, as in gamesOf
	gamesConsumer  = "learner"
	networksBucket = "ludus-networks"
	networksStream = "OBJ_" + networksBucket // name of the object store's stream, by NATS's convention
	networkSubject = "ludus.network"
	statusSubject  = "ludus.status"
	getNetworks    = "$JS.API.DIRECT.GET." + networksStream // subject for requests of single messages of networksStream

	learnerReplies = "_LEARNER" // prefixes of reply subjects
	workerReplies  = "_WORKER"
)

// gamesOf returns the subject for the games that a worker plays for a run. With worker "*" it matches all workers.
func gamesOf(run, worker string) string { return gamesSubject + subjectName(run) + "." + worker }

// subjectName turns name into a subject token of at most 40 letters, digits, dashes and underscores.
func subjectName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	if clean == "" {
		clean = "worker"
	}
	return clean[:min(len(clean), 40)]
}
