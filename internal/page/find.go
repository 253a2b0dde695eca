package page

// registerFind registers the views that look for something: questions, keepers, search,
// the graph and the cost.
func (d *Door) registerFind() {
	d.registerQuestions()
	d.registerKeepers()
	d.registerSearch()
	d.registerCost()
	d.registerGraph()
}
