/** The camera and microphone of the person. */
export interface Devices {
  stream: MediaStream;
  /** Says which device is missing; null where both work. */
  missingNotice: string | null;
}

const BOTH: MediaStreamConstraints = {
  audio: { echoCancellation: true, noiseSuppression: true },
  video: { width: { ideal: 1280 }, height: { ideal: 720 }, facingMode: 'user' },
};

/** Opens camera and microphone, or the one that works. Without any the stream is empty, and the person can still join. */
export async function openDevices(): Promise<Devices> {
  if (!navigator.mediaDevices) return { stream: new MediaStream(), missingNotice: noticeFor('NotSupported') };
  try {
    return { stream: await navigator.mediaDevices.getUserMedia(BOTH), missingNotice: null };
  } catch (error) {
    const reason = error instanceof DOMException ? error.name : 'Unknown';
    const sound = await navigator.mediaDevices.getUserMedia({ audio: BOTH.audio ?? true }).catch(() => null);
    if (sound) return { stream: sound, missingNotice: 'Your camera cannot be used. The others will hear you, and not see you.' };
    const sight = await navigator.mediaDevices.getUserMedia({ video: BOTH.video ?? true }).catch(() => null);
    if (sight) return { stream: sight, missingNotice: 'Your microphone cannot be used. The others will see you, and not hear you.' };
    return { stream: new MediaStream(), missingNotice: noticeFor(reason) };
  }
}

function noticeFor(reason: string): string {
  const still = 'You can join all the same: you will see and hear the others.';
  if (reason === 'NotAllowedError')
    return `The browser does not let this page use your camera and microphone. To allow it, touch the sign beside the address. ${still}`;
  if (reason === 'NotSupported') return `This browser gives camera and microphone to secure pages (https) only. ${still}`;
  return `No camera and no microphone was found. ${still}`;
}
