import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { foundPractice, operatorOf } from './command-line.ts';

const operator = operatorOf(await sharedTestApp());

describe('a practice is closed', () => {
  it('by somebody who says its name, after they were told what that does', async () => {
    const { id } = await foundPractice(operator);
    const { name } = await operator.ask(z.object({ name: z.string() }), `organizations show ${id}`);
    const [unasked, wrong] = [
      await operator.say(`organizations set ${id} --active no`),
      await operator.say(`organizations set ${id} --active no --confirm`, 'Another clinic'),
    ];
    expect(unasked).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^Closing ".*" refuses its users .* Add --confirm ".*" to close it\.\n$/),
    });
    expect(wrong).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(new RegExp(`^--confirm: this is not the name of practice ${id}\\.`)),
    });
    await operator.ask(z.object({ active: z.literal(true) }), `organizations show ${id}`);
    await operator.ask(z.object({ active: z.literal(false) }), `organizations set ${id} --active no --confirm`, name);
    expect((await operator.say(`organizations set ${id} --active no`)).code, 'it is closed already').toBe(0);
    expect((await operator.say(`organizations set ${id} --active yes --confirm`, name)).code).toBe(2);
  });
});
