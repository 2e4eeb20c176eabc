import { runImports } from '../../../../src/jobs/run-imports.ts';
import { clientToken } from '../../../support/actors.ts';
import type { TestApp } from '../../../support/app.ts';

export interface Sent {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a response
  body: any;
  text: string;
}

/** An API client that imports into a practice. */
export async function importer(test: TestApp, organizationId: number, scopes = ['imports.read', 'imports.write']) {
  const { token } = await clientToken(test, scopes, [organizationId]);
  async function send(method: string, path: string, body?: string | Uint8Array, headers: Record<string, string> = {}): Promise<Sent> {
    const response = await fetch(`${test.address}/platform/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'text/csv' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Uint8Array.from(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text.split('\n', 1)[0] ?? '') : text,
    };
  }
  return {
    token,
    send,
    /** Sends a file and waits until its rows were dealt with. */
    async import(query: string, file: string | Uint8Array) {
      const { status, body, text } = await send('POST', `/imports?${query}`, file);
      if (status !== 201) throw new Error(`${status} ${text}`);
      return this.ended(body.data.id);
    },
    async ended(id: number) {
      for (;;) {
        const { body } = await send('GET', `/imports/${id}`);
        if (['done', 'failed'].includes(body.data.state)) return body.data;
        await runImports(test.services);
      }
    },
    report: async (id: number) => (await send('GET', `/imports/${id}/report`)).text,
  };
}
