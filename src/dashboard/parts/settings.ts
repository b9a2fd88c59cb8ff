import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type PageSettings, readSettings } from '../state/page-settings.ts';

export const Settings = createContext<PageSettings>(readSettings({}));

export function useSettings(): PageSettings {
  return useContext(Settings);
}
