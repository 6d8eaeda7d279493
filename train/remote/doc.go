// Package remote connects a run with workers on other machines over NATS (https://nats.io). It starts a NATS server inside the
// run's process ([StartServer]), and implements [train.Workers] for the run ([Hub]) and [selfplay.Learner] for a worker
// ([Worker]).
//
// # Messages
//
//   - Games: a worker publishes each [record.Message] to the subject ludus.games.RUN.NAME. The JetStream stream
//     ludus-games stores them on disk before the server acknowledges them. It has room for a few generations and refuses
//     new messages when it is full, so workers wait. The run's consumer acknowledges a message once its games are in the
//     run directory; then the stream drops it.
//   - Networks: the run keeps its two newest networks as objects in the object store ludus-networks. An object's metadata say
//     how to play; its digest protects the weights. A message on ludus.network tells workers to look. Workers request single
//     messages of the store's stream.
//   - Status: the run publishes a [rundir.WorkersStatus] on ludus.status every two seconds.
//
// # What is lost when
//
// The server keeps a game that it has acknowledged until the run has committed it or is finished, as long as its disk
// survives. A worker repeats a message until it is acknowledged. So a message may arrive twice: the run drops the second one by
// the numbers of its games. Games in progress of a worker that dies are lost. If the server cannot write to the disk, Receive
// fails.
//
// # Trust
//
// A worker may publish games, and read networks and the status, nothing else: accounts.conf says how. Games are checked
// against the rules. But nobody can check whether a worker searched honestly, so give credentials to your own machines
// only. A gate in front of the server bounds the memory that a flood of requests can fill, and disconnects clients that
// do not read their answers.
//
// # What is left out
//
// NATS servers that somebody else runs, and clusters of them; names that a worker must prove; several learners of one run;
// encryption of games on disk.
package remote
