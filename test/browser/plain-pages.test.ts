import { expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { createOrganization, createPatient, createUser } from '../support/factories.ts';

const test = await sharedTestApp();
const browser = await sharedBrowser();

it('the front page, the components, and a link that has ended, was never made, or was mistyped, are legible at every size', async () => {
  const provider = await signedInUser(test, { type: 'provider' });
  const { guid, guest_link: ended } = (await provider.get('/meet-session').expect(200)).body.data;
  await test.database.prisma.videoSession.updateMany({ where: { guid }, data: { endedAt: new Date() } });
  const page = await (await browser.newContext({ viewport: PHONE })).newPage();
  for (const [name, address, status] of [
    ['landing', `${test.address}/`, 200],
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

it('an emergency access to a chart is asked for, shown and closed on a page that is legible at every size', async () => {
  const { id: organizationId } = await createOrganization(test.database.prisma);
  const { email, password } = await createUser(test.database.prisma, { organizationId, type: 'provider' });
  const patient = await createPatient(test.database.prisma, { organizationId, firstName: 'Maximiliane', lastName: 'Featherstonehaugh' });
  await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
  const page = await (await browser.newContext({ viewport: PHONE })).newPage();
  await page.goto(`${test.address}/break-glass`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await picture(page, 'break-glass');
  await page.getByLabel('Patient id').fill(String(patient.id));
  await page.getByLabel('Reason').fill('Unconscious in the emergency room, allergies unknown, nobody of the family can be reached');
  await page.getByRole('button', { name: 'Open the chart' }).click();
  await page.getByText('Charts open to you').waitFor();
  await picture(page, 'break-glass-open');
  await page.getByRole('button', { name: 'Close now' }).first().click();
  await page.getByText('closed early').waitFor();
  await page.context().close();
});
