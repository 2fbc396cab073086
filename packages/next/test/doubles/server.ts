import { currentScope } from "./request-scope.js"

/** Like Next's URL: not the public host, and no `basePath` in the path. */
class AppUrl extends URL {
  readonly basePath: string

  constructor(address: string, basePath: string) {
    super(address)
    this.basePath = basePath
  }

  override get href(): string {
    return `${this.origin}${this.basePath}${this.pathname}${this.search}`
  }
}

export class NextRequest extends Request {
  readonly nextUrl: AppUrl

  constructor(address: string, init: RequestInit = {}, basePath = "") {
    super(address, init)
    this.nextUrl = new AppUrl(address, basePath)
  }
}

export class NextResponse extends Response {
  static next({ request }: { readonly request?: { readonly headers: Headers } } = {}): NextResponse {
    const headers = new Headers({ "x-middleware-next": "1" })
    if (request) headers.set("x-middleware-override-headers", [...request.headers.keys()].join(","))
    request?.headers.forEach((value, name) => {
      headers.set(`x-middleware-request-${name}`, value)
    })
    return new NextResponse(null, { headers })
  }
}

export async function connection(): Promise<void> {
  await currentScope().connect()
}
