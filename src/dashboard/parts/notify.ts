/** Shows a notification of the system, where that is allowed. One with the same tag is replaced. */
export function notify(options: {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly onClick: () => void;
}): void {
  if (notificationState() !== 'granted') return;
  const { title, body, tag, onClick } = options;
  try {
    const shown = new Notification(title, { body, tag });
    shown.onclick = () => {
      window.focus();
      onClick();
      shown.close();
    };
  } catch {
    // Some phones refuse notifications of pages. What is on the page and the sound remain.
  }
}

export function notificationState(): NotificationPermission | 'missing' {
  return typeof Notification === 'undefined' ? 'missing' : Notification.permission;
}

const TONES_HZ = [660, 880];
const TONE_SECONDS = 0.16;

/** Two short tones. A browser stays silent until somebody has clicked on the page. */
export function sound(): void {
  if (typeof AudioContext === 'undefined') return;
  const context = new AudioContext();
  const volume = context.createGain();
  volume.gain.value = 0.12;
  volume.connect(context.destination);
  TONES_HZ.forEach((frequency, place) => {
    const tone = context.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(volume);
    tone.start(context.currentTime + place * TONE_SECONDS);
    tone.stop(context.currentTime + (place + 1) * TONE_SECONDS);
    if (place === TONES_HZ.length - 1) tone.onended = () => void context.close();
  });
}
