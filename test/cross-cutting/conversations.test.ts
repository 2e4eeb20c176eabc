import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { findConsent, openActs, type Story } from './conversation-acts.ts';
import { openPractices } from './conversation-practices.ts';
import { checkLeaving } from './conversation-rules.ts';
import { EXAMPLES, type Setting, type Step, setting, step } from './conversation-steps.ts';

/** Stories that are told; CONVERSATIONS=1000 is the proof. */
const RUNS = Number(process.env.CONVERSATIONS ?? 3);

const test = await sharedTestApp();
const practices = openPractices(test);
const { findPractice, work, readConfirmation, sleepTight } = practices;
const { beginStory, act, bring } = openActs(test, practices, { work });

/** Each text that has left since was allowed to. */
function checkDepartures(story: Story): void {
  const { world } = story;
  for (const left of world.left.slice(story.checked))
    checkLeaving(world, left, findPractice(left.practice).name, findConsent(story, left.practice, left.to));
  story.checked = world.left.length;
}

async function actAndCheck(story: Story, one: Step): Promise<void> {
  await act(story, one);
  checkDepartures(story);
}

async function tell(setting: Setting, steps: readonly Step[]): Promise<void> {
  const story = await beginStory(setting);
  const log: string[] = [];
  const asked = setting.asked.map((visit): Step => ({ do: 'send', visit, kind: 'asking', leaves: true }));
  for (const one of [...asked, ...steps]) {
    const known = story.world.left.length;
    const failure = await actAndCheck(story, one).then(
      () => null,
      (cause: unknown) => ({ cause }),
    );
    log.push(JSON.stringify(one), ...story.world.left.slice(known).map(({ to, body }) => `  to ${to}: ${body}`));
    if (failure) throw new Error(log.join('\n'), failure);
  }
  // In the end all letters arrive, and all texts leave in the morning.
  for (const post of story.underway.splice(0)) await bring(story, post);
  for (const practice of [0, 1]) await sleepTight(practice, false);
  await actAndCheck(story, { do: 'work', kill: 'never', twice: false });
  for (const visit of story.world.visits) expect(await readConfirmation(visit)).toBe(visit.cancelled ? null : visit.confirmation);
}

it('conversations never confirm a time that the patient was not told, never text who has revoked, and never text twice', {
  timeout: 60_000 + RUNS * 30_000,
}, async () => {
  const told = fc.asyncProperty(setting, fc.array(step, { minLength: 8, maxLength: 24 }), tell);
  await fc.assert(told, { numRuns: RUNS, examples: EXAMPLES, endOnFailure: RUNS < 50 });
});
