package plugin

import (
	"context"
	"errors"
	"io"
	"reflect"

	"github.com/spf13/cobra"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// What comes from a cluster was written by pods, drivers and other users. It is made harmless where it comes in, whatever is
// done with it later: objects by the client, logs and errors where they are printed.

// harmlessClient returns a client in whose objects no text has characters that a terminal acts on.
func harmlessClient(c client.WithWatch) client.WithWatch {
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			defer makeHarmless(object)
			return c.Get(ctx, key, object, options...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			defer makeHarmless(list)
			return c.List(ctx, list, options...)
		},
		Watch: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) (watch.Interface, error) {
			changes, err := c.Watch(ctx, list, options...)
			if err != nil {
				return nil, err
			}
			return watch.Filter(changes, func(event watch.Event) (watch.Event, bool) {
				makeHarmless(event.Object)
				return event, true
			}), nil
		},
	})
}

// makeHarmless replaces, in all texts of an object, what a terminal acts on. Bytes stay as they are.
func makeHarmless(object any) {
	if value := reflect.ValueOf(object); value.Kind() == reflect.Pointer {
		makeValueHarmless(value)
	}
}

func makeValueHarmless(value reflect.Value) {
	switch value.Kind() { //nolint:exhaustive // Others have no texts.
	case reflect.Pointer:
		if !value.IsNil() {
			makeValueHarmless(value.Elem())
		}
	case reflect.String:
		if value.CanSet() {
			value.SetString(wording.Harmless(value.String()))
		}
	case reflect.Struct:
		for _, field := range value.Fields() {
			makeValueHarmless(field)
		}
	case reflect.Slice, reflect.Array:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range value.Len() {
			makeValueHarmless(value.Index(i))
		}
	case reflect.Map:
		makeMapHarmless(value)
	}
}

// makeMapHarmless puts other keys and values in the place of those that are not harmless: they cannot be changed in a map.
func makeMapHarmless(m reflect.Value) {
	if !m.CanInterface() {
		return
	}
	for _, key := range m.MapKeys() {
		otherKey, value := reflect.New(key.Type()).Elem(), reflect.New(m.Type().Elem()).Elem()
		otherKey.Set(key)
		value.Set(m.MapIndex(key))
		makeValueHarmless(otherKey)
		makeValueHarmless(value)
		m.SetMapIndex(key, reflect.Value{})
		m.SetMapIndex(otherKey, value)
	}
}

// harmlessWriter returns a writer through which a log can be printed. What was begun of a character comes with Close.
func harmlessWriter(out io.Writer) io.WriteCloser {
	return transform.NewWriter(out, runes.Map(wording.HarmlessRune))
}

// harmlessErrors has a command's errors be harmless: they repeat what the cluster said. Commands in them begin as people
// type them.
func harmlessErrors(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		if err == nil {
			return nil
		}
		return &harmlessError{err}
	}
}

// harmlessError is an error whose text is harmless.
type harmlessError struct{ error }

func (e *harmlessError) Error() string { return humanize.Typed(wording.Harmless(e.error.Error())) }

func (e *harmlessError) Unwrap() error { return e.error }

// printHarmless prints a text that is complete.
func printHarmless(out io.Writer, content []byte) error {
	w := harmlessWriter(out)
	_, err := w.Write(content)
	return errors.Join(err, w.Close())
}
