import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { ownTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { fillDemo, findUser } from '../support/demo.ts';

const browser = await sharedBrowser();
const test = await ownTestApp();
const [practice] = await fillDemo(test);
if (!practice) throw new Error('the demo has no practice');
const admin = findUser(practice, 'admin');

describe('monitoring in a browser', () => {
  it('leads from the list to a patient, whose alert is acknowledged and whose charts are read, by a mouse and on paper', async () => {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 }, javaScriptEnabled: false })).newPage();
    await page.goto(`${test.address}/monitoring`);
    await page.getByLabel('Email').fill(admin.email);
    await page.getByLabel('Password').fill(admin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: /Open alerts/ }).waitFor();
    await picture(page, 'monitoring');

    await page.locator('.card').first().getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Alerts', exact: true }).waitFor();
    await picture(page, 'monitoring-patient');
    await page
      .getByRole('button', { name: /^Acknowledge/ })
      .first()
      .click();
    await page
      .getByText(/^Acknowledged .* by /)
      .first()
      .waitFor();

    await page.getByText('Write a review').first().click();
    await page.getByLabel('Minutes of work').first().fill('9999');
    await page.getByRole('button', { name: 'Save the review' }).first().click();
    await page.getByRole('alert').waitFor();
    await picture(page, 'monitoring-refused');

    await page.locator('.trend h3 a').first().click();
    await page.waitForURL(/\/charts\//);
    await page.locator('.trend-figure svg').first().waitFor();
    await picture(page, 'monitoring-chart');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.staff-bar').isVisible()).toBe(false);
    expect(await page.locator('.trend-figure-wide svg').isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
    await page.setViewportSize(PHONE);
    expect(await page.locator('.trend-figure-wide').isVisible()).toBe(false);
    expect(await page.locator('.trend-figure-narrow svg').isVisible()).toBe(true);
    await page.context().close();
  });

  it('prints the evidence of a closed month, which fits a telephone too', async () => {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
    await page.goto(`${test.address}/monitoring`);
    await page.getByLabel('Email').fill(admin.email);
    await page.getByLabel('Password').fill(admin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: /Open alerts/ }).waitFor();
    const { month, patientId } = await test.database.prisma.closedLedgerRow.findFirstOrThrow({
      where: { organizationId: practice.practiceid, document: { contains: '"code":"99454"' } },
    });
    await page.goto(`${test.address}/monitoring/patients/${patientId}`);
    await page.locator(`a[href="/monitoring/ledger/${month}/patients/${patientId}"]`).click();
    await page.getByRole('heading', { name: 'Readings' }).waitFor();
    await picture(page, 'ledger');
    if (process.env.SCREENSHOTS) await page.pdf({ path: `${process.env.SCREENSHOTS}/ledger.pdf`, format: 'Letter' });
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.evidence-sheet').first().isVisible()).toBe(true);
    expect(await page.getByText('SHA-256 of the month').isVisible()).toBe(true);
    await page.context().close();
  });

  it.each([390, 1_440])('is a nurse’s day at %i pixels: the lobby, who needs somebody, a timed review, and the ledger', async (width) => {
    const page = await (await browser.newContext({ viewport: { width, height: 844 } })).newPage();
    const look = async (name: string) => {
      await expectAccessible(page, name);
      expect.soft(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width);
      const hidden = '[...document.querySelectorAll(".table")].filter((table) => table.scrollWidth > table.clientWidth).length';
      expect.soft(await page.evaluate(hidden), `${name}: no table hides columns`).toBe(0);
    };
    const nurse = findUser(practice, 'staff');
    await page.goto(`${test.address}/lobby`);
    await page.getByLabel('Email').fill(nurse.email);
    await page.getByLabel('Password').fill(nurse.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Today', exact: true }).waitFor();
    await look('lobby');
    const bar = await page.locator('.staff-bar').boundingBox();
    expect(bar?.height, 'the navigation fits one line').toBeLessThan(70);

    await page.getByRole('link', { name: 'Invite someone' }).click();
    await page.getByRole('heading', { name: 'A colleague' }).waitFor();
    await look('invite');
    await page.goto(`${test.address}/monitoring/patients`);
    await page.getByLabel('Condition (ICD-10 code)').fill('I10');
    await page.getByRole('button', { name: 'Filter' }).click();
    await look('patients');
    await page.locator('table a').first().click();
    await page.getByText('Write a review').first().click();
    const timer = page.getByRole('timer').first();
    await expect.poll(() => timer.innerText(), { timeout: 10_000 }).toMatch(/^0:(0[1-9]|1\d)$/);
    await page.getByRole('button', { name: 'Stop the timer' }).first().click();
    await page.reload();
    await page.getByRole('button', { name: 'Continue the timer' }).first().waitFor();
    const minutes = page.getByLabel('Minutes of work').first();
    await minutes.fill('1200');
    await page.getByRole('button', { name: 'Save the review' }).first().click();
    await page.getByText('Must be a whole number from 1 to 480.').waitFor();
    expect(await timer.innerText(), 'a refused form keeps the time').toMatch(/^0:\d\d$/);
    await minutes.fill('3');
    await look('patient');
    await page.getByRole('button', { name: 'Save the review' }).first().click();
    await page
      .getByText(/: 3 minutes, without live contact/)
      .first()
      .waitFor();

    await page.goto(`${test.address}/monitoring/ledger`);
    await look('ledger');
    await page
      .getByRole('link', { name: /^Evidence of/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Readings', exact: true }).waitFor();
    await look('evidence');
    await page.context().close();
  });
});
