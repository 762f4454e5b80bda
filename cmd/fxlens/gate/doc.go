// Package gate lets a real browser judge packages: every shader module, bind group
// layout and pipeline is created there, and every message comes back.
//
// A small page does the work. It comes from a web server on the loopback interface,
// under a random name that only the browser that we start gets to know, together with
// the passes, one by one; the page sends what WebGPU said about each. A pass at which
// the browser hangs or dies is reported as such, and the others go on in a new page.
//
// The browser is Chromium or Chrome, found or named, started with a profile of its
// own that is removed at the end, without any other network connection.
package gate
