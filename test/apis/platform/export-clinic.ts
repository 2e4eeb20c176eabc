import { expect } from 'vitest';
import { actorWith, clientToken } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOrganization } from '../../support/factories.ts';

export const test = await sharedTestApp();
export const rows = test.database.prisma;
export const EXPORTS = '/platform/v1/exports';

export type Line = Record<string, unknown>;

/** A client of a practice, a new one unless it is given. */
export async function clinicWith(scopes: string[] = ['exports.read', 'events.read'], organizationId?: number) {
  const id = organizationId ?? (await createOrganization(rows)).id;
  const { token } = await clientToken(test, scopes, [id]);
  return { ...actorWith(test, token, id), organizationId: id };
}
export type Clinic = Pick<Awaited<ReturnType<typeof clinicWith>>, 'token'>;

export const open = ({ token }: Clinic, query: string, headers: Record<string, string> = {}) =>
  fetch(`${test.address}${EXPORTS}?${query}`, { headers: { authorization: `Bearer ${token}`, ...headers } });

/** The records of an export as NDJSON, whose last line has the cursor of the header. */
export function parseRecords(text: string, answer: Response): Line[] {
  const lines: Line[] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.pop()).toEqual({ feed_cursor: answer.headers.get('feed-cursor') });
  return lines;
}

export async function exported(clinic: Clinic, query: string): Promise<Line[]> {
  const answer = await open(clinic, query);
  expect(answer.status).toBe(200);
  return parseRecords(await answer.text(), answer);
}
