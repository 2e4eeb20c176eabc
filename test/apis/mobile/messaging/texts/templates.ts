import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { pairs } from '../../../../contract/plausible.ts';
import { type Actor, signedInUser } from '../../../../support/actors.ts';
import type { TestApp } from '../../../../support/app.ts';

export const PATH = '/sms-message-template';

/** A category that no other test has. */
export const freshCategory = () => `category ${randomUUID()}`;

/** An organization with an admin, who edits templates, and staff, who may read them. */
export async function createTemplateUsers(test: TestApp) {
  const admin = await signedInUser(test, { type: 'admin' });
  const own = { organizationId: admin.organizationId };
  const staff = await signedInUser(test, own);

  async function create(fields: object = {}, by: Actor = admin) {
    const answer = await by.post(PATH).send({ category: freshCategory(), name: 'Short', body: 'Hello {{first name}}', ...fields });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data;
  }
  const listed = async (query: Record<string, string | number>) =>
    (await staff.get(`${PATH}?${new URLSearchParams(Object.entries(query).flatMap(pairs))}`)).body.data;
  const activeIn = async (category: string): Promise<number[]> =>
    (await listed({ category, active: 1 })).map(({ uuid }: { uuid: number }) => uuid);
  const events = (id: number) =>
    test.database.prisma.event.findMany({ where: { ...own, subjectType: 'sms_template', subjectId: id }, orderBy: { id: 'asc' } });

  return { admin, staff, own, create, listed, activeIn, events };
}
