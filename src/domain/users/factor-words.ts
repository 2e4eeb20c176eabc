import type { AccountMailWords } from './account-mails.ts';

export type FactorNews =
  | 'passkey_added'
  | 'authenticator_app_added'
  | 'factor_deleted'
  | 'recovery_code_used'
  | 'recovery_codes_made'
  | 'factors_reset';

/** Mails about second factors. None of them has a secret, nor the name that the user gave to a factor. */
export const FACTOR_MAILS: Readonly<Record<FactorNews, AccountMailWords>> = {
  passkey_added: mail(
    { subject: 'A passkey was added', fact: 'A passkey was added to' },
    { subject: 'Se añadió una llave de acceso', fact: 'Se añadió una llave de acceso a' },
  ),
  authenticator_app_added: mail(
    { subject: 'An authenticator app was added', fact: 'An authenticator app was added to' },
    { subject: 'Se añadió una aplicación de autenticación', fact: 'Se añadió una aplicación de autenticación a' },
  ),
  factor_deleted: mail(
    { subject: 'A second factor was deleted', fact: 'A second factor was deleted from' },
    { subject: 'Se eliminó un segundo factor', fact: 'Se eliminó un segundo factor de' },
  ),
  recovery_code_used: mail(
    { subject: 'A recovery code was used', fact: 'A recovery code was used for' },
    { subject: 'Se usó un código de recuperación', fact: 'Se usó un código de recuperación de' },
  ),
  recovery_codes_made: mail(
    { subject: 'New recovery codes were created', fact: 'Ten new recovery codes were created for' },
    { subject: 'Se crearon códigos de recuperación nuevos', fact: 'Se crearon diez códigos de recuperación nuevos para' },
  ),
  factors_reset: mail(
    { subject: 'Your second factors were removed', fact: 'All second factors were removed from' },
    { subject: 'Se retiraron sus segundos factores', fact: 'Se retiraron todos los segundos factores de' },
  ),
};

interface News {
  subject: string;
  /** A sentence up to the account. */
  fact: string;
}

function mail(en: News, es: News): AccountMailWords {
  return {
    en: ({ firstName, practiceName }) => ({
      subject: en.subject,
      body: `Hello ${firstName},

${en.fact} your account at ${practiceName}.

If neither you nor an administrator at your request did this, set a new password immediately and inform an administrator of your practice:

{{url}}`,
    }),
    es: ({ firstName, practiceName }) => ({
      subject: es.subject,
      body: `Hola, ${firstName}:

${es.fact} su cuenta en ${practiceName}.

Si no fue usted ni un administrador a quien se lo pidió, elija enseguida una contraseña nueva y avise a un administrador de su consultorio:

{{url}}`,
    }),
  };
}
