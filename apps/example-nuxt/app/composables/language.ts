/** German for browsers that prefer it, as on the pages of the service. The server decides, and the browser keeps it. */
export function useLanguage() {
  const { "accept-language": accepted = "" } = useRequestHeaders(["accept-language"])
  return useState("language", () => (/^de\b/i.test(accepted) ? "de" : "en"))
}
