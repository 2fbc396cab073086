import { AuthError, CurrentAuth, type UserAuth } from "@latchkey/nestjs"
import { Body, Controller, Get, Header, Post, Query, Res } from "@nestjs/common"
import type { Response } from "express"
import { type LoginQuery, renderLoginPage } from "./pages.js"

@Controller()
export class LoginController {
  @Get("login")
  @Header("content-type", "text/html; charset=utf-8")
  showLogin(@Query() query: LoginQuery): string {
    return renderLoginPage(query)
  }

  @Post("login")
  async signIn(
    @CurrentAuth() auth: UserAuth<never>,
    @Body() { providerId, redirectTo = "/", ...fields }: Record<string, string>,
    @Res() response: Response,
  ): Promise<void> {
    try {
      response.redirect(303, await auth.signIn({ ...(providerId && { providerId }), redirectTo, fields }))
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      response.status(401).send(renderLoginPage({ callbackUrl: redirectTo, error: error.type }))
    }
  }

  @Post("logout")
  async signOut(@CurrentAuth() auth: UserAuth<never>, @Res() response: Response): Promise<void> {
    response.redirect(303, await auth.signOut({ redirectTo: "/" }))
  }
}
