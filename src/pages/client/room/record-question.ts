import { ask } from '../page/dialogs.ts';
import { element } from '../page/page-elements.ts';
import type { ToServer } from '../protocol.ts';

/** Asks this person whether the visit may be recorded; the question goes with the host's wish. */
export async function answerRecording(isAsked: boolean, sendMessage: (message: ToServer) => void): Promise<void> {
  const question = element('record-question', 'dialog');
  if (!isAsked && question.open) question.close('withdrawn');
  if (!isAsked || question.open) return;
  const answer = await ask('record-question');
  if (answer !== 'withdrawn') sendMessage({ type: 'recording_consent', given: answer === 'yes' });
}
