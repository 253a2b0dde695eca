package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// CompareModels names what has changed of the settings of models, such as
// "models.fast: price": the model that agents have by default, single models, and
// providers.
func CompareModels(before, now *Team) (list []string) {
	if before.Model != now.Model {
		list = append(list, "model")
	}
	list = append(list, compareEntries("models", before.Models, now.Models, func(m ModelInfo) string { return m.ID })...)
	return append(list, compareEntries("providers", before.Providers, now.Providers, func(p Provider) string { return p.Name })...)
}

// compareEntries compares what two lists say about each name.
func compareEntries[T any](key string, before, now []T, name func(T) string) (list []string) {
	for _, entry := range now {
		i := slices.IndexFunc(before, func(old T) bool { return name(old) == name(entry) })
		switch {
		case i < 0:
			list = append(list, key+"."+name(entry)+": new")
		case !reflect.DeepEqual(before[i], entry):
			list = append(list, key+"."+name(entry)+": "+strings.Join(differingFields(before[i], entry), ", "))
		}
	}
	for _, old := range before {
		if !slices.ContainsFunc(now, func(entry T) bool { return name(entry) == name(old) }) {
			list = append(list, key+"."+name(old)+": gone")
		}
	}
	return list
}

// differingFields names the fields in which two structs differ as the files do.
func differingFields(a, b any) (names []string) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			field := x.Type().Field(i).Name
			names = append(names, cmp.Or(fileKeys[field], strings.ToLower(field)))
		}
	}
	return names
}

// fileKeys are the keys of fields that are spelled otherwise in the files.
var fileKeys = map[string]string{"MaxOutput": "max_output", "ToolCalling": "tool_calling", "BaseURL": "base_url", "KeyEnv": "key_env"}
