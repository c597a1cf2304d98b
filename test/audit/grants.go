package audit

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Grant is a single right: a verb on a resource.
type Grant struct {
	// Role is where the right comes from, such as "ClusterRole storagebench-operator".
	Role string
	// Namespace is where the right holds, "" for the whole cluster.
	Namespace string
	Verb      string
	Group     string
	Resource  string
	// Subresource is "" for a right to the resource itself.
	Subresource string
	// Name is the only object that the right is to, "" for all.
	Name string
	// Path is that of a right to what is no resource, such as /metrics; all of the other fields of the request are "" then.
	Path string
}

// Expand returns the single rights of a role's rules that are bound in a namespace, or in the whole cluster ("").
func Expand(role, namespace string, rules []rbacv1.PolicyRule) []Grant {
	var grants []Grant
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, verb := range rule.Verbs {
			for _, path := range rule.NonResourceURLs {
				grants = append(grants, Grant{Role: role, Verb: verb, Path: path})
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					resource, subresource, _ := strings.Cut(resource, "/")
					for _, name := range names {
						grants = append(grants, Grant{Role: role, Namespace: namespace, Verb: verb, Group: group, Resource: resource, Subresource: subresource, Name: name})
					}
				}
			}
		}
	}
	return grants
}

// String names the right, such as "delete jobs.batch" or "update leases.coordination.k8s.io storagebench in storagebench-system".
func (g Grant) String() string {
	text := g.Verb + " " + g.Path
	if g.Path == "" {
		text = g.Verb + " " + resourceName(g.Group, g.Resource, g.Subresource)
	}
	if g.Name != "" {
		text += " " + g.Name
	}
	if g.Namespace != "" {
		text += " in " + g.Namespace
	}
	return text + " (" + g.Role + ")"
}

// covers says whether the request needs this right. A wildcard is a right to everything, so that no request shows that it
// is needed: it covers none here, and is reported.
func (g Grant) covers(r *Request) bool {
	if !slices.Contains(r.verbs(), g.Verb) {
		return false
	}
	if r.Object == nil || g.Path != "" {
		path, _, _ := strings.Cut(r.URI, "?")
		return r.Object == nil && g.Path == path
	}
	return g.Group == r.Object.Group && g.Resource == r.Object.Resource && g.Subresource == r.Object.Subresource &&
		(g.Namespace == "" || g.Namespace == r.Object.Namespace) && (g.Name == "" || g.Name == r.Object.Name)
}

// Unused returns the rights that no request needed.
func Unused(grants []Grant, requests []Request) []Grant {
	unused := slices.Clone(grants)
	for i := range requests {
		unused = slices.DeleteFunc(unused, func(g Grant) bool { return !requests[i].Denied() && g.covers(&requests[i]) })
	}
	return unused
}

// Denied returns the requests for which there is no right, each kind of them once. What a right covers was denied before the
// API server knew of it: at an installation, or right after its own start.
func Denied(grants []Grant, requests []Request) []Request {
	var denied []Request
	seen := map[string]bool{}
	for i := range requests {
		r := &requests[i]
		if !r.Denied() || slices.ContainsFunc(grants, func(g Grant) bool { return g.covers(r) }) {
			continue
		}
		kind := r.Verb + " " + r.URI
		if r.Object != nil {
			kind = r.Verb + " " + resourceName(r.Object.Group, r.Object.Resource, r.Object.Subresource)
		}
		if !seen[kind] {
			seen[kind] = true
			denied = append(denied, *r)
		}
	}
	return denied
}
