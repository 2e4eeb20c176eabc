import { MessagePort, parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as commonDictionary } from '@zxcvbn-ts/language-common';
import { dictionary as englishDictionary, translations } from '@zxcvbn-ts/language-en';
import { z } from 'zod';

/** This file runs in a worker thread (password-strength.ts). A password, words that an attacker would try first, and where the answer goes. */
const question = z.object({ password: z.string(), known: z.array(z.string()), answerTo: z.instanceof(MessagePort) });

/** Characters that are looked at: the time grows with their square, and whoever guesses these has not guessed the rest. */
const LOOKED_AT = 24;
/** Readings of a password with digits and signs for letters. */
const MOST_SUBSTITUTIONS = 16;
/** Out of 4: more than 10^8 guesses. */
const GOOD_SCORE = 3;

const estimator = new ZxcvbnFactory({
  dictionary: { ...commonDictionary, ...englishDictionary },
  graphs: adjacencyGraphs,
  translations,
  maxLength: LOOKED_AT,
  l33tMaxSubstitutions: MOST_SUBSTITUTIONS,
});

function findWeakness(password: string, known: string[]): string | null {
  const { score, feedback } = estimator.check(password, known);
  return score >= GOOD_SCORE ? null : (feedback.warning ?? '');
}

parentPort?.on('message', (message: unknown) => {
  const { password, known, answerTo } = question.parse(message);
  answerTo.postMessage(findWeakness(password, known));
});
