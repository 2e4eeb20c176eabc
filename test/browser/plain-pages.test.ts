import { expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();

it('the components, and a link that has ended, was never made, or was mistyped, are legible at every size', async () => {
  const provider = await signedInUser(test, { type: 'provider' });
  const { guid, guest_link: ended } = (await provider.get('/meet-session').expect(200)).body.data;
  await test.database.prisma.videoSession.updateMany({ where: { guid }, data: { endedAt: new Date() } });
  const page = await (await browser.newContext({ viewport: PHONE })).newPage();
  for (const [name, address, status] of [
    ['design', `${test.address}/design`, 200],
    ['visit-ended', ended, 410],
    ['visit-unknown', `${test.address}/v/${'x'.repeat(32)}`, 404],
    ['check-in-unknown', `${test.address}/c/x`, 404],
  ] as const) {
    expect((await page.goto(address))?.status(), name).toBe(status);
    await picture(page, name);
  }
  await page.context().close();
});
