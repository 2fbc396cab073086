/** The same parameters with one of another name, at the same place. What had that name before is gone. */
export function renameParameter(parameters: URLSearchParams, from: string, to: string): URLSearchParams {
  const others = [...parameters].filter(([name]) => name !== to)
  return new URLSearchParams(others.map(([name, value]) => [name === from ? to : name, value]))
}

/** For an `authorization.request`: the URL with one parameter of another name. */
export function withRenamedParameter(url: URL, from: string, to: string): URL {
  const renamed = new URL(url)
  renamed.search = renameParameter(url.searchParams, from, to).toString()
  return renamed
}
