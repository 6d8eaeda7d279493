package remote

import (
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// Names on the NATS server.
const (
	gamesStream    = "ludus-games"
	gamesSubject   = "ludus.games." // and the worker's name
	gamesConsumer  = "learner"
	networksBucket = "ludus-networks"
	networksStream = "OBJ_" + networksBucket // the stream of the object store, by NATS's convention
	newestNetwork  = "newest"
	networkSubject = "ludus.network"
	statusSubject  = "ludus.status"

	learnerInbox = "_LEARNER" // prefixes of the subjects of replies; workers cannot listen to the learner's
	workerInbox  = "_WORKER"
)

// Permissions returns what a worker may do on the server.
func Permissions() *server.Permissions {
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			gamesSubject + "*",
			statusSubject,
			"$JS.API.STREAM.INFO." + networksStream,
			"$JS.API.DIRECT.GET." + networksStream,
			"$JS.API.DIRECT.GET." + networksStream + ".>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{networkSubject, workerInbox + ".>"}},
	}
}

// subjectName returns name as one token of a subject, of at most 40 characters.
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
