export async function answer(request: Request): Promise<Response> {
  return Response.json(request.url)
}
