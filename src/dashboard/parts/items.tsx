// Items by name, with their image, title and attributes, and the history of a user. The id of an item is in the
// tooltip, or next to its title.

import type { ItemInfo, UserInfo } from '../../service/index.ts'
import { useLabel } from '../api/labels.ts'
import { dateAndTime, figure, timeOrDate } from '../format.ts'
import { itemAddress } from '../route.ts'
import { Table } from './table.tsx'

interface ItemNameProps {
  readonly item: string
  /** Whether the id is shown next to the title. */
  readonly hasId?: boolean
}

export function ItemName({ item, hasId }: ItemNameProps) {
  const { title, image } = useLabel(item)
  return (
    <span class="item-name" title={item}>
      {image !== null && <img src={image} alt="" loading="lazy" />}
      <span>
        {title ?? item}
        {hasId && title !== null && <small class="soft"> {item}</small>}
      </span>
    </span>
  )
}

/** A link to the details of the item. */
export const ItemLink = (props: ItemNameProps) => (
  <a href={itemAddress(props.item)}>
    <ItemName {...props} />
  </a>
)

/** Titles can contain commas. */
export const separator = ' · '

/** The title as text, without an image. */
export const ItemNames = ({ items }: { readonly items: readonly string[] }) =>
  items.map((item, i) => (
    <span key={i}>
      {i > 0 && separator}
      <Title item={item} />
    </span>
  ))

const Title = ({ item }: Pick<ItemNameProps, 'item'>) => (
  <span title={item}>{useLabel(item).title ?? item}</span>
)

/** An image attribute can have thousands of characters. */
const maxLength = 200

type Attributes = ItemInfo['attributes']

export const formatAttributes = (attributes: Attributes): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, formatValue(value)]))

function formatValue(value: Attributes[string]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

export const HistoryTable = ({ user, history }: Pick<UserInfo, 'user' | 'history'>) => (
  <Table
    label={`History of ${user}, newest first`}
    rows={history}
    empty={`${user} has no interactions yet.`}
    columns={{
      '~Item': ({ item }) => <ItemLink item={item} />,
      '#Reward': ({ reward }) => figure(reward),
      When: ({ time }) => (
        <span class="soft" title={dateAndTime(time)}>
          {timeOrDate(time, Date.now())}
        </span>
      ),
    }}
  />
)
