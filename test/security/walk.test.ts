import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { Answered } from '../contract/calls.ts';
import type { Plausible } from '../contract/plausible.ts';
import { dialects, type Route, watchedTestApp, writeRoute } from '../contract/routes.ts';
import { acceptedRequest, openInsider, recordRoutes } from './insiders.ts';
import { listPlaces, replaced } from './places.ts';

/** The ids of everything in two practices, and of nothing. As texts they are well-formed NPIs. */
const OURS = { id: 1_777_777_776, guid: randomUUID() };
const THEIRS = { id: 1_999_999_992, guid: randomUUID() };
const NOBODYS = { id: 1_888_888_884, guid: randomUUID() };

const watched = await watchedTestApp();
const test = watched.test;
const us = await openInsider(test, OURS);
const them = await openInsider(test, THEIRS);
afterAll(() => Promise.all([us.furnished.close(), them.furnished.close()]));

/** An answer without what may differ between two that tell the same: ids, dates, and what is random. */
function said({ status, text, headers }: Answered): string {
  const known = [THEIRS, NOBODYS].reduce((left, { id, guid }) => left.replaceAll(String(id), '(id)').replaceAll(guid, '(id)'), text);
  if (status >= 400) return `${status} ${headers.get('www-authenticate')} ${known}`;
  const plain = known
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d:\d\d)?|\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d/g, '(time)')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(uuid)')
    .replaceAll(/("\w*id":"?)\d+/g, '$1(id)')
    .replaceAll(/\d{9,}/g, '(id)')
    .replaceAll(/whsec_[\w+/=]+|[\w-]{20,}/g, '(random)');
  return `${status} ${plain}`;
}

/** Differences between the answers to another practice's id and to nobody's in one place of a request. */
async function listFaults(route: Route, request: Plausible, place: string): Promise<string[]> {
  const answers: Answered[] = [];
  for (const ids of [THEIRS, NOBODYS]) {
    if (route.method !== 'GET') await us.furnished.furnish();
    answers.push(await us.ask(route, replaced(request, place, OURS, ids)));
  }
  const [theirs, nobodys] = answers;
  if (!theirs || !nobodys) return ['was not asked'];
  const name = `${writeRoute(route)} with another's ${place}`;
  const faults = said(theirs) === said(nobodys) ? [] : [`${name}: ${said(theirs)} | ${said(nobodys)}`];
  if (theirs.status >= 500) faults.push(`${name}: fails: ${theirs.status} ${theirs.text}`);
  if (theirs.status >= 400 && !dialects[route.dialect].errorShape.safeParse(theirs.body).success) faults.push(`${name}: ${theirs.text}`);
  return faults;
}

describe('one id of another practice among ids of the own', () => {
  it('is answered as one that exists nowhere, in every place of every operation, and their rows stay as they are', async () => {
    await them.furnished.furnish();
    const before = await them.furnished.content();
    const wrong: string[] = [];
    const unproved: string[] = [];
    let places = 0;
    for (const route of recordRoutes(watched.routes)) {
      const request = await acceptedRequest(us, route);
      if (!request) {
        unproved.push(writeRoute(route));
        continue;
      }
      if (route.method === 'GET') await us.furnished.furnish();
      for (const place of listPlaces(request, OURS)) {
        wrong.push(...(await listFaults(route, request, place)));
        places += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(await them.furnished.content()).toBe(before);
    expect(unproved, 'no request of these was accepted').toEqual([]);
    expect(places).toBeGreaterThan(100);
  });
});
