package remote

import "strings"

// Names on the NATS server.
const (
	gamesStream    = "ludus-games"
	gamesSubject   = "ludus.games." // and the run's id and the worker's name, as in gamesOf
	gamesConsumer  = "learner"
	networksBucket = "ludus-networks"
	networksStream = "OBJ_" + networksBucket // the stream of the object store, by NATS's convention
	networkSubject = "ludus.network"
	statusSubject  = "ludus.status"
	getNetworks    = "$JS.API.DIRECT.GET." + networksStream // requests for single messages of networksStream

	learnerReplies = "_LEARNER" // prefixes of the subjects of replies
	workerReplies  = "_WORKER"
)

// gamesOf returns the subject of the games that a worker plays for a run; the worker "*" is all of them.
func gamesOf(run, worker string) string { return gamesSubject + subjectName(run) + "." + worker }

// subjectName returns name as one token of a subject, of at most 40 letters, digits, dashes and underscores.
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
