package web

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"ludus/env"
)

// policy is what pages may do: load the server's own scripts, styles and pictures, and ask it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guarded lets only those requests through that may come in.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		for _, check := range []func(*http.Request) error{s.checkHost, checkOrigin} {
			if err := check(r); err != nil {
				s.fail(w, r, err)
				return
			}
		}
		if s.welcomed(w, r) {
			return
		}
		if err := s.checkToken(r); err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// checkHost refuses requests that came by a name which is not the server's: a page elsewhere may have made its own name lead
// here, and its requests would then be of one origin with it. Nobody can do that to an address of digits.
func (s *Server) checkHost(r *http.Request) error {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	known := []string{"localhost", "127.0.0.1", "::1", strings.ToLower(s.host), s.listener.Addr().(*net.TCPAddr).IP.String()}
	if s.host == "" {
		if _, err := netip.ParseAddr(host); err == nil {
			return nil
		}
		if name, err := os.Hostname(); err == nil {
			known = append(known, strings.ToLower(name), strings.ToLower(name)+".local")
		}
	}
	if host != "" && slices.Contains(known, host) {
		return nil
	}
	return refused(http.StatusForbidden, "the host %s is not this server; it is reached as %s", env.Quote(r.Host), s.base())
}

// base is the server's address without the token.
func (s *Server) base() string {
	u, err := url.Parse(s.URL())
	if err != nil {
		panic("web: an address that is none")
	}
	u.RawQuery = ""
	return u.String()
}

var protection = http.NewCrossOriginProtection()

// checkOrigin refuses what a page of another origin asks for, but lets its links lead to pages here.
func checkOrigin(r *http.Request) error {
	err := protection.Check(r) // knows requests that change something
	if page := !strings.HasPrefix(r.URL.Path, "/api") && !strings.HasPrefix(r.URL.Path, "/static"); err == nil && !page {
		asPost := r.WithContext(r.Context()) // a shallow copy
		asPost.Method = http.MethodPost      // here all requests are as good as those
		err = protection.Check(asPost)
	}
	if err != nil {
		return refused(http.StatusForbidden, "this request comes from %s, and pages of other origins may ask nothing here",
			cmp.Or(r.Header.Get("Origin"), "another origin"))
	}
	return nil
}

// cookie is the name of the cookie that holds the token. Cookies belong to a host, not to a port.
func (s *Server) cookie() string {
	return fmt.Sprintf("ludus-%d", s.listener.Addr().(*net.TCPAddr).Port)
}

// welcomed answers a first visit, which has the token in the address: it goes into a cookie and out of the address.
func (s *Server) welcomed(w http.ResponseWriter, r *http.Request) bool {
	if s.token == "" || r.Method != http.MethodGet || r.URL.Path != "/" || !s.matches(r.URL.Query().Get("token")) {
		return false
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie(), Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: 30 * 24 * 60 * 60,
	})
	// A browser that came from elsewhere, from a mail say, does not send the cookie along when it is led on by a redirect; it
	// does when the page itself asks.
	w.Header().Set("Refresh", "0; url=/")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><title>ludus</title><link rel="icon" href="data:,"><p><a href="/">ludus</a></p>`)
	return true
}

// checkToken refuses requests without the token, in the cookie or as a bearer's.
func (s *Server) checkToken(r *http.Request) error {
	if s.token == "" {
		return nil
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && s.matches(bearer) {
		return nil
	}
	for _, c := range r.CookiesNamed(s.cookie()) {
		if s.matches(c.Value) {
			return nil
		}
	}
	return refused(http.StatusUnauthorized, "the token is missing or wrong; open the address that ludus serve has printed")
}

// matches compares with the token in a time that says nothing about it.
func (s *Server) matches(token string) bool {
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
