import { describe, expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';

const test = await sharedTestApp();
const own = await signedInUser(test);

/** Refused before anything else touches it: brought to its form, each would be short enough, or would take seconds. */
describe('a text is refused', () => {
  it.each([
    ['with 5,000 blanks before it', `${' '.repeat(5_000)}Ann`, /at most/],
    ['with 200,000 marks on one letter', `a${'\u0301\u0323'.repeat(100_000)}`, /at most/],
    ['with 31 marks on one letter', `a${'\u0301'.repeat(31)}`, /more than 30 combining marks in a row/],
  ])('%s', async (_how, written, reason) => {
    for (const [path, field] of [
      ['/patients', 'firstname'],
      ['/contact-tags', 'name'],
    ] as const) {
      const { status, body } = await own.post(path).send({ [field]: written });
      expect([status, body.errors]).toMatchObject([400, [{ pointer: `/${field}`, detail: expect.stringMatching(reason) }]]);
    }
  });

  it('and taken with 30', async () => {
    const { body } = await own
      .post('/contact-tags')
      .send({ name: `a${'\u0323'.repeat(30)}` })
      .expect(201);
    expect(body.data.name).toBe(`\u1ea1${'\u0323'.repeat(29)}`);
  });
});
