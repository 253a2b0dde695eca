module example.com/go-agent

go 1.26.6

require parley v0.0.0

replace parley => ../..
