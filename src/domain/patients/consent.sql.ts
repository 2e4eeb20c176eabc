/** Whether the patient `p` wants no texts: the chart says so, or its mobile number sent STOP. */
export const wantsNoTexts = (p: string) => `(${p}.do_not_sms OR ${p}.texts_stopped)`;
