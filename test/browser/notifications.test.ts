import { createServer } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { createCheckIn } from '../apis/mobile/monitoring/readings/reported.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { sharedBrowser } from '../support/browser.ts';

/** Another company's app, on another origin. */
const portal = createServer((_request, reply) => reply.setHeader('content-type', 'text/html').end('<title>Portal</title>'));
await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve));
afterAll(() => void portal.close());
const bound = portal.address();
const portalOrigin = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : bound}`;
const test = await ownTestApp({ CORS_ORIGINS: portalOrigin });
const browser = await sharedBrowser();

it('a page of another origin hears of a review while it is open, and of what it missed when it comes back', async () => {
  const nurse = await signedInUser(test);
  const { organizationId } = nurse;
  const doctor = await signedInUser(test, { organizationId, type: 'provider' });
  const review = async () => {
    const { id } = await createCheckIn(test.database.prisma, { organizationId });
    const body = { checkin_uuid: id, minutes: 5, user_uuid: doctor.user.id };
    return (await nurse.post('/remote-patient-monitoring/checkin-reviews').send(body).expect(201)).body.data.uuid;
  };
  const page = await browser.newPage();
  await page.goto(portalOrigin);
  /** Listens until it has heard so many events. */
  const hear = (many: number, lastEventId: string | null) =>
    page.evaluate(
      async ({ address, token, wanted, after }) => {
        const leaving = new AbortController();
        const headers = { authorization: `Bearer ${token}`, ...(after ? { 'last-event-id': after } : {}) };
        const answer = await fetch(`${address}/notifications/stream`, { headers, signal: leaving.signal });
        const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        console.info('listening');
        while (text.split('event: notification').length <= wanted) text += (await reader?.read())?.value ?? '';
        leaving.abort();
        const blocks = text.split('\n\n').filter((block) => block.includes('event: notification'));
        return blocks.map((block) => ({
          id: /^id: (.*)$/m.exec(block)?.[1] ?? null,
          data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}'),
        }));
      },
      { address: test.address, token: doctor.token, wanted: many, after: lastEventId },
    );

  const listening = page.waitForEvent('console', (said) => said.text() === 'listening');
  const first = hear(1, null);
  await listening;
  const made = await review();
  const [heard] = await first;
  expect(heard?.data).toMatchObject({ kind: 'checkin_review.created', subject: { type: 'checkin_review', uuid: made } });

  const missed = [await review(), await review()];
  const again = await hear(2, heard?.id ?? null);
  expect(again.map(({ data }) => data.subject.uuid)).toEqual(missed);
});
