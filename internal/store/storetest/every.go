package storetest

import (
	"context"
	"errors"
	"reflect"

	"parley"
	"parley/internal/store"
)

var errUndo = errors.New("nothing of this is kept")

// EveryStatement runs each method of a transaction once, with arguments that make it
// send its statements, and stores nothing. A driver's tests inspect the statements
// afterwards. It returns the engine's first failure.
func EveryStatement(s store.Store) error {
	t := reflect.TypeFor[*store.Tx]()
	for i := range t.NumMethod() {
		method := t.Method(i)
		err := s.Update(context.Background(), func(tx *store.Tx) error {
			// What is put off to the end of a transaction is sent too.
			call := func(tx *store.Tx) error { method.Func.Call(arguments(tx, method.Type)); return nil }
			if err := store.Call(call, tx); err != nil {
				return err
			}
			return flushed(tx)
		})
		if !errors.Is(err, errUndo) {
			return errors.Join(errors.New(method.Name), err)
		}
	}
	return everyTaskList(s)
}

// everyTaskList runs all variants of the one statement that is built from parts.
func everyTaskList(s store.Store) error {
	for _, agent := range []parley.AgentID{0, 1} {
		for _, roots := range []bool{false, true} {
			for _, open := range []bool{false, true} {
				f := store.TaskFilter{Team: 1, Agent: agent, Roots: roots, Open: open, Limit: 1}
				before := f
				before.Ended, before.State, before.Before = !open, 1, 1
				err := s.View(context.Background(), func(tx *store.Tx) error {
					_, err := tx.Tasks(f)
					_, failed := tx.Tasks(before)
					return errors.Join(err, failed)
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// flushed reads something, so that deferred statements are sent.
func flushed(tx *store.Tx) error {
	if _, err := tx.Agent(1); err != nil && err != store.ErrNotFound {
		return err
	}
	return errUndo
}

// arguments passes 1 for every number and "1.1" for every text, which is also a valid
// event cursor.
func arguments(tx *store.Tx, method reflect.Type) []reflect.Value {
	list := []reflect.Value{reflect.ValueOf(tx)}
	for i := 1; i < method.NumIn(); i++ {
		t := method.In(i)
		if method.IsVariadic() && i == method.NumIn()-1 {
			t = t.Elem()
		}
		v := reflect.New(t).Elem()
		switch t.Kind() {
		case reflect.Int, reflect.Int64:
			v.SetInt(1)
		case reflect.String:
			v.SetString("1.1")
		case reflect.Slice:
			v.Set(reflect.MakeSlice(t, 1, 1))
		case reflect.Pointer:
			v.Set(reflect.New(t.Elem()))
		case reflect.Func:
			v.Set(reflect.MakeFunc(t, func([]reflect.Value) (zeros []reflect.Value) {
				for i := range t.NumOut() {
					zeros = append(zeros, reflect.Zero(t.Out(i)))
				}
				return zeros
			}))
		}
		list = append(list, v)
	}
	return list
}
