package desk

// Waiting is how many calls wait.
func (s *Service) Waiting() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, calls := range s.waiting {
		n += calls
	}
	return n
}
