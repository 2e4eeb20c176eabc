import { languageName } from '../../../../domain/code-sets/languages.ts';
import type { readPatient } from '../../../../domain/patients/chart/find-patient.ts';
import { formatPhone } from '../../../../domain/values/phone-numbers.ts';
import { linkButton } from '../../../design/forms/button.ts';
import { html } from '../../../html.ts';

interface PatientCall {
  /** Of the patient: `Mobile`. Of somebody else: the name, and who that is to the patient. */
  label: string;
  /** E.164. */
  number: string;
}

/** The numbers to call about a patient, and the language to speak. */
export interface PatientCalls {
  calls: PatientCall[];
  /** In English; null where the chart names none. */
  language: string | null;
  /** The chart says that the patient wants no calls. */
  doNotCall: boolean;
}

/** The numbers of a chart: the patient's own, then the next of kin's and the contact's, each once. */
export function toPatientCalls(patient: Awaited<ReturnType<typeof readPatient>>): PatientCalls {
  const kin = personLabel(patient.nextOfKinName, patient.nextOfKinRelationship, 'next of kin');
  const contact = personLabel(patient.contactName, patient.contactRelationship, 'contact');
  const numbers: [label: string, number: string | null][] = [
    ['Mobile', patient.mobilePhone],
    ['Home', patient.homePhone],
    ['Work', patient.workPhone],
    [kin, patient.nextOfKinPhone],
    [contact, patient.contactMobilePhone],
    [contact, patient.contactHomePhone],
  ];
  const calls = new Map<string, PatientCall>();
  for (const [label, number] of numbers) if (number !== null && !calls.has(number)) calls.set(number, { label, number });
  const language = patient.languageCode === null ? null : (languageName(patient.languageCode)?.split(';', 1)[0] ?? null);
  return { calls: [...calls.values()], language, doNotCall: patient.doNotCall };
}

const personLabel = (name: string | null, relationship: string | null, usual: string): string =>
  name === null ? (relationship ?? usual) : `${name} (${relationship ?? usual})`;

/** Each number as a button that dials, and what to know before. */
export function patientCalls({ calls, language, doNotCall }: PatientCalls): string {
  const buttons = calls.map(({ label, number }) =>
    linkButton({ href: `tel:${number}`, label: `${label}: ${formatPhone(number)}`, icon: 'phone', kind: 'plain' }),
  );
  const notes = [
    calls.length === 0 ? 'The chart has no telephone number.' : '',
    language === null ? '' : `Speaks ${language}.`,
    doNotCall ? 'The chart says: do not call.' : '',
  ].filter(Boolean);
  return html`<section class="patient-calls" aria-label="Call the patient">
!${buttons.length === 0 ? '' : html`<p class="row">!${buttons.join('')}</p>`}
!${notes.length === 0 ? '' : html`<p>${notes.join(' ')}</p>`}
</section>`;
}
