import { expect, it } from 'vitest';
import { sendRequestDigests } from '../../src/jobs/due-work.ts';
import { clientToken } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createUser } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const { http, send, browse } = staffPages(test);

it('the page of a client tells what failed of a client, by code and operation, and mail it once a week to who asks for it', async () => {
  const { id: organizationId } = await createOrganization(test.database.prisma);
  const account = await createUser(test.database.prisma, { organizationId, type: 'admin' });
  const browser = await browse(account);
  const { token, clientId } = await clientToken(test, ['integration.read'], [organizationId]);
  const { userId } = await test.database.prisma.apiClientGrant.findFirstOrThrow({ where: { organizationId, clientId } });
  const path = `/administration/clients/${userId}/requests`;
  expect((await http.get(path).set(browser).expect(200)).text).toContain('No request failed');
  for (const id of [1, 2]) await http.get(`/api/patients/${id}`).set('authorization', `Bearer ${token}`).expect(404);
  expect((await http.get(path).set(browser).expect(200)).text).toMatch(
    /404 <code>patient_not_found<\/code><\/td><td[^>]*><code>GET \/api\/patients\/\{uuid\}<\/code><\/td><td[^>]*>2</,
  );

  await send(path, { digest: 'yes' }, browser).expect(303);
  expect((await http.get(path).set(browser).expect(200)).text).toMatch(/name="digest"[^>]*checked/);
  const mails = () => test.database.prisma.mailMessage.findMany({ where: { organizationId } });
  const deps = { ...test.services, origin: 'https://clinic.example' };
  await sendRequestDigests(deps);
  expect(await mails()).toEqual([]);
  const due = () => test.database.prisma.requestDigest.updateMany({ where: { organizationId }, data: { nextAt: new Date(0) } });
  await due();
  await Promise.all([sendRequestDigests(deps), sendRequestDigests(deps)]);
  const [mail, ...others] = await mails();
  expect(others).toEqual([]);
  expect(mail?.body).toContain('2 × 404 patient_not_found  GET /api/patients/{uuid}');
  expect(mail?.toAddress).toBe(account.email);
  await send(path, {}, browser).expect(303);
  await due();
  await sendRequestDigests(deps);
  expect(await mails()).toHaveLength(1);
});
