/** What the proxy guards. */
export async function GET(): Promise<Response> {
  return Response.json({ isPrivate: true })
}
