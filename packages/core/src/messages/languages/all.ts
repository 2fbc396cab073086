// Imported as `@latchkey/core/languages/all`.

import type { LazyLanguage } from "../../features/languages/languages.js"

/**
 * Every language besides English, each loaded when the first visitor speaks it. For servers that can load a file while
 * they run; the bundle of a worker would contain all of them.
 */
export const allLanguages: readonly LazyLanguage[] = [
  { tag: "de", load: async () => (await import("./de.js")).de },
  { tag: "fr", load: async () => (await import("./fr.js")).fr },
  { tag: "es", load: async () => (await import("./es.js")).es },
  { tag: "pt-BR", load: async () => (await import("./pt-br.js")).ptBR },
  { tag: "it", load: async () => (await import("./it.js")).it },
  { tag: "nl", load: async () => (await import("./nl.js")).nl },
  { tag: "pl", load: async () => (await import("./pl.js")).pl },
  { tag: "cs", load: async () => (await import("./cs.js")).cs },
  { tag: "sv", load: async () => (await import("./sv.js")).sv },
  { tag: "da", load: async () => (await import("./da.js")).da },
  { tag: "fi", load: async () => (await import("./fi.js")).fi },
  { tag: "uk", load: async () => (await import("./uk.js")).uk },
  { tag: "ru", load: async () => (await import("./ru.js")).ru },
  { tag: "tr", load: async () => (await import("./tr.js")).tr },
  { tag: "ar", load: async () => (await import("./ar.js")).ar },
  { tag: "he", load: async () => (await import("./he.js")).he },
  { tag: "hi", load: async () => (await import("./hi.js")).hi },
  { tag: "ja", load: async () => (await import("./ja.js")).ja },
  { tag: "ko", load: async () => (await import("./ko.js")).ko },
  { tag: "zh-Hans", load: async () => (await import("./zh-hans.js")).zhHans },
  { tag: "zh-Hant", load: async () => (await import("./zh-hant.js")).zhHant },
]
