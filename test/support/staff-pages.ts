import supertest from 'supertest';
import type { TestApp } from './app.ts';

/** A browser at the pages of staff, which keeps no cookies: each request says who sends it. */
export function staffPages(test: TestApp) {
  const http = supertest(test.address);
  /** Headers of a form of this server. */
  const FORM = { origin: test.address };
  const send = (path: string, fields: object, headers: Record<string, string> = FORM) =>
    http.post(path).set(headers).type('form').send(fields).redirects(0);

  /** Signs in as a browser does. @returns the headers of what the browser asks for from then on */
  async function browse({ email, password }: { email: string; password: string }) {
    const answer = await send('/sign-in', { email, password }).expect(303);
    const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
    return { ...FORM, cookie };
  }
  return { http, send, browse };
}
