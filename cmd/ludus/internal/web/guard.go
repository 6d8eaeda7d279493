package web

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"

	"ludus/env"
)

// policy is the Content-Security-Policy of all pages: only the server's own scripts, styles, pictures and API.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard sets the security headers and passes on a request if it comes from an allowed host and origin and has the token.
func (s *Server) guard(next http.Handler) http.Handler {
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
		if s.acceptToken(w, r) {
			return
		}
		if err := s.checkToken(r); err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// checkHost rejects requests whose Host header is not one of the server's names. In a DNS rebinding attack, a foreign
// site makes its own name resolve to this server, to count as same-origin. IP addresses cannot be rebound.
func (s *Server) checkHost(r *http.Request) error {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := s.listener.Addr().(*net.TCPAddr).IP.String()
	known := []string{"localhost", "127.0.0.1", "::1", strings.ToLower(s.host), ip}
	if s.host == "" { // it listens on every address of the machine
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
	return httpErrorf(http.StatusForbidden, "the host %s is not this server; its address is %s", env.Quote(r.Host), s.base())
}

var protection = http.NewCrossOriginProtection()

// checkOrigin rejects requests from pages of other origins, except links to pages.
func checkOrigin(r *http.Request) error {
	err := protection.Check(r) // it allows all GET requests
	if err == nil && !isPage(r.URL.Path) {
		asPost := r.WithContext(r.Context()) // a shallow copy
		asPost.Method = http.MethodPost      // GET requests of the API need the same protection
		err = protection.Check(asPost)
	}
	if err != nil {
		return httpErrorf(http.StatusForbidden, "this request comes from %s; pages of other origins have no access",
			cmp.Or(r.Header.Get("Origin"), "another origin"))
	}
	return nil
}

// cookie returns the name of the token's cookie. It contains the port, because browsers share cookies among the ports of a
// host.
func (s *Server) cookie() string {
	return fmt.Sprintf("ludus-%d", s.listener.Addr().(*net.TCPAddr).Port)
}

// acceptToken answers a visit to /?token=TOKEN with the right token: it stores the token in a cookie and reloads the page
// without it. It reports whether it answered.
func (s *Server) acceptToken(w http.ResponseWriter, r *http.Request) bool {
	if s.token == "" || r.Method != http.MethodGet || r.URL.Path != "/" || !s.matches(r.URL.Query().Get("token")) {
		return false
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie(), Value: s.token, Path: "/", MaxAge: 30 * 24 * 60 * 60,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	// Browsers do not send a strict same-site cookie with a redirect if the visit started elsewhere, such as in a mail.
	// They send it if the page itself reloads.
	w.Header().Set("Refresh", "0; url=/")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><title>ludus</title><link rel="icon" href="data:,"><p><a href="/">ludus</a></p>`)
	return true
}

// checkToken rejects requests without the token, which is in the cookie or in an Authorization: Bearer header.
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
	return httpErrorf(http.StatusUnauthorized, "the token is missing or wrong; open the address that ludus serve printed")
}

// matches compares a token with the server's in constant time.
func (s *Server) matches(token string) bool {
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
