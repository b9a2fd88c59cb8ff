import { Component, type ComponentChild, type ComponentType } from 'preact';

/** Whether all props are identical. */
export function haveSameProps(a: object, b: object): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => Reflect.get(a, name) === Reflect.get(b, name));
}

/** The same component, rendered again only when one of its props changes. */
export function memo<P extends object>(Part: (props: P) => ComponentChild): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !haveSameProps(this.props, next);
    }

    override render(props: P): ComponentChild {
      return <Part {...props} />;
    }
  };
}
