package web

// runRoutes serves what there is to see of runs.
func (s *Server) runRoutes() {}
