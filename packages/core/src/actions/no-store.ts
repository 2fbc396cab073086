/** Answers that are about one visitor and one moment. */
export const noStore: Readonly<Record<string, string>> = {
  "cache-control": "private, no-cache, no-store",
  expires: "0",
  pragma: "no-cache",
}
