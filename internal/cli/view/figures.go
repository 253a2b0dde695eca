package view

// Figures is a table of things with a name and figures.
func (s Screen) Figures(head []string, rows [][]string) string {
	t := table{least: 16, rows: [][]cell{heads(head...)}}
	for i := range t.rows[0] {
		t.rows[0][i].right = i > 0
	}
	for _, row := range rows {
		cells := []cell{{text: row[0], color: Bold}}
		for _, figure := range row[1:] {
			cells = append(cells, cell{text: figure, right: true})
		}
		t.rows = append(t.rows, cells)
	}
	return t.text(s)
}
