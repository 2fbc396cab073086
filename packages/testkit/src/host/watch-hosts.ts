import type { Leak } from "../log/leaks.js"

/** A host whose log and answers can be searched for secrets. */
export interface SearchableHost {
  leaks(): readonly Leak[]
}

type Watcher = (host: SearchableHost) => void

const watchers = new Set<Watcher>()

/**
 * Tells of each host that is opened from now on, so that a suite can search all of them.
 * @internal Exported for the set-up of this repository's own tests.
 */
export function watchHosts(watcher: Watcher): void {
  watchers.add(watcher)
}

export function announceHost<Host extends SearchableHost>(host: Host): Host {
  for (const tell of watchers) tell(host)
  return host
}
