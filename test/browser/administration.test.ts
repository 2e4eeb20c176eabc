import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { PHONE, picture, sharedBrowser } from '../support/browser.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { DESK } from './visiting.ts';

const browser = await sharedBrowser();
const test = await sharedTestApp();
const { prisma } = test.database;
const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic' });
const admin = await createUser(prisma, { organizationId, type: 'admin', firstName: 'Ada', lastName: 'Quinn' });

/** Names that a page must bear: markup, another direction, and more than fits. */
const NAMES = [
  ['<script>alert(1)</script>', 'O’Neil'],
  ['محمد', 'الفارسي'],
  ['Maximiliana-Theodora'.repeat(4), 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)],
];

async function signedIn({ email, password }: { email: string; password: string }, path: string, viewport = PHONE): Promise<Page> {
  const page = await (await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] })).newPage();
  page.on('pageerror', (error) => expect.unreachable(`the page failed: ${error}`));
  await page.goto(`${test.address}${path}`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`**${path}`);
  return page;
}

/** Presses a button that asks, and says yes. */
async function press(page: Page, name: string, state?: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  if (state) await picture(page, state);
  await dialog.getByRole('button', { name }).click();
}

const news = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();
const focused = (page: Page) => page.locator(':focus').getAttribute('name');

describe('administration in a browser', () => {
  it('invites somebody, after a refusal that keeps what was typed; changes their role; shuts them out and lets them in again', async () => {
    const page = await signedIn(admin, '/administration/users');
    await picture(page, 'administration-users');
    await page.getByLabel('First name').fill('Bo');
    await page.getByLabel('Last name').fill('Ek');
    await page.getByLabel('Email', { exact: true }).fill(admin.email);
    await page.getByLabel('Role').selectOption('Provider');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('This email is already in use for sign-in.').waitFor();
    expect(await focused(page)).toBe('email');
    expect(await page.getByLabel('First name').inputValue()).toBe('Bo');
    await picture(page, 'administration-invite-refused');
    await page.getByLabel('Email', { exact: true }).fill(`bo-${organizationId}@clinic.example`);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await news(page, 'The invitation was sent');

    await page.getByRole('link', { name: 'Bo Ek' }).click();
    await picture(page, 'administration-user');
    expect(await page.getByLabel('Role').inputValue()).toBe('provider');
    await page.getByLabel('Role').selectOption('Staff');
    await page.getByRole('button', { name: 'Save' }).click();
    await news(page, 'The changes are saved');
    await press(page, 'Invite again');
    await news(page, 'Another invitation was sent');
    await press(page, 'Deactivate', 'administration-shut-out');
    await news(page, 'The user was deactivated');
    await press(page, 'Reactivate');
    await news(page, 'The user can sign in again');
    await page.getByRole('link', { name: 'Users' }).first().click();
    await page.getByRole('link', { name: 'Ada Quinn' }).click();
    await page.getByText('This is your own account').waitFor();
    expect(await page.getByRole('button', { name: 'Deactivate' }).count()).toBe(0);
    await page.context().close();
  });

  it('adds a client, whose secret a button copies, and makes another secret beside it', async () => {
    const page = await signedIn(admin, '/administration/clients');
    await page.getByText('The practice has no applications yet').waitFor();
    await page.getByLabel('Name of the application').fill('Front desk');
    await page.getByRole('button', { name: 'Add it and show its secret' }).click();
    await page.getByText('Needs at least one of').waitFor();
    expect(await focused(page)).toBe('integration_read');
    await picture(page, 'administration-client-refused');
    await page.getByLabel('Integration API: read').check();
    await page.getByRole('button', { name: 'Add it and show its secret' }).click();
    await page
      .getByRole('definition')
      .filter({ has: page.locator('#client-secret') })
      .getByRole('button', { name: 'Copy' })
      .click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const secret = await page.locator('#client-secret').textContent();
    expect(secret).toMatch(/^[\w-]{32}$/);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await picture(page, 'administration-client-secret');
    await page.getByRole('link', { name: 'I have saved it' }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByLabel('After a new secret').selectOption('for another 7 days');
    await press(page, 'Create a new secret');
    await page.getByText('The former secret works until').waitFor();
    await press(page, 'Switch off');
    await news(page, 'The client was switched off');
    await picture(page, 'administration-client');
    await press(page, 'Withdraw the practice from it');
    await page.getByText('The practice has no applications yet').waitFor();
    await page.context().close();
  });

  it('keeps a form while its sender proves in another window who they are', async () => {
    const page = await signedIn(admin, '/administration/policies');
    const verifiedAt = new Date(Date.now() - 901_000);
    await prisma.session.updateMany({ where: { organizationId, userId: admin.user.id }, data: { verifiedAt } });
    await page.getByLabel('Hours after which a session ends').fill('48');
    await page.getByRole('button', { name: 'Save' }).click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Confirm in a new window' }).click();
    const other = await opened;
    await other.getByLabel('Password').fill(admin.password);
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.getByRole('heading', { name: 'Thank you' }).waitFor();
    await picture(page, 'administration-confirm-first');
    expect(await page.getByLabel('Hours after which a session ends').inputValue()).toBe('48');
    await page.getByRole('button', { name: 'Save' }).click();
    await news(page, 'The rules were saved');
    await page.context().close();
  });

  it('shows an administrator what another one has changed meanwhile, before anything is lost', async () => {
    const colleague = await createUser(prisma, { organizationId, type: 'admin', firstName: 'Bea', lastName: 'Holt' });
    const { user } = await createUser(prisma, { organizationId, firstName: 'Cy', lastName: 'Orr' });
    const path = `/administration/users/${user.id}`;
    const [one, other] = [await signedIn(admin, path, DESK), await signedIn(colleague, path)];
    await other.getByLabel('First name').fill('Cyrus');
    await other.getByLabel('Role').selectOption('Provider');
    await other.getByRole('button', { name: 'Save' }).click();
    await news(other, 'The changes are saved');
    await one.getByLabel('First name').fill('Cyril');
    await one.getByRole('button', { name: 'Save' }).click();
    await one.getByText('Somebody else has since saved “Cyrus” here').waitFor();
    expect(await one.getByLabel('First name').inputValue()).toBe('Cyril');
    expect(await one.getByLabel('Role').inputValue()).toBe('provider');
    await picture(one, 'administration-changed-meanwhile');
    await one.getByRole('button', { name: 'Save' }).click();
    await one.getByRole('heading', { name: 'Cyril Orr' }).waitFor();
    for (const page of [one, other]) await page.context().close();
  });

  it('bears hundreds of users with any names, and leads through the audit by pages and as CSV', async () => {
    const { id } = await createOrganization(prisma, { name: 'Large Clinic' });
    const head = await createUser(prisma, { organizationId: id, type: 'admin', firstName: 'Ada', lastName: 'Zzz' });
    const named = NAMES.map(([firstName = '', lastName = '']) => ({ firstName, lastName }));
    const many = Array.from({ length: 200 }, (_, index) => ({ firstName: 'Una', lastName: `User ${index}` }));
    await prisma.user.createMany({ data: [...named, ...many].map((user) => ({ ...user, organizationId: id, type: 'staff' as const })) });
    await prisma.$executeRaw`
      INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation)
      SELECT ${id}, ${`user:${head.user.id}`}, 'read', 'patient', '{}', 'GET /patients' FROM generate_series(1, 60)`;
    const page = await signedIn(head, '/administration/users');
    await page.getByText('Users (204)').waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 5').waitFor();
    await page.getByRole('link', { name: 'Before' }).click();
    await page.getByText('Page 1 of 5').waitFor();
    for (const [first = ''] of NAMES) {
      await page.getByLabel('Name or email').fill(first.slice(0, 8));
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: first }).click();
      await page.getByRole('heading', { name: first }).first().waitFor();
      if (first.startsWith('Max')) await picture(page, 'administration-long-name');
      await page.getByRole('link', { name: 'Users' }).first().click();
    }
    await page.getByLabel('Name or email').fill('nobody');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No one found').waitFor();
    await page.goto(`${test.address}/administration/audit?action=read`);
    await picture(page, 'administration-audit');
    await page.getByRole('link', { name: 'Older entries' }).click();
    await page.getByRole('link', { name: 'Newest entries' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save as CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('audit.csv');
    for (const path of ['policies', 'single-sign-on']) {
      await page.goto(`${test.address}/administration/${path}`);
      await picture(page, `administration-${path}`);
    }
    await page.context().close();
  });
});
