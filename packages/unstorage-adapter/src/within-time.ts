/**
 * What the work comes to, if it does so in time.
 * @throws Error otherwise
 */
export async function withinTime<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`Storage: no answer within ${milliseconds} ms`)), milliseconds)
  try {
    return await Promise.race([work(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
