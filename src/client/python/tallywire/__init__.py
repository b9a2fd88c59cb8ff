"""Client of tallywire: counts, forecasts and signals of post-count markets, over REST and a feed."""

from .client import Client
from .error import TallywireError
from .export import Manifest, read_export, read_manifest, rows_of
from .feed import Feed, Records
from .feed_status import FeedEvent, Status
from .http import Quota, Retry
from .topic import Channel, Cursor

__all__ = [
    "Channel",
    "Client",
    "Cursor",
    "Feed",
    "FeedEvent",
    "Manifest",
    "Quota",
    "Records",
    "Retry",
    "Status",
    "TallywireError",
    "read_export",
    "read_manifest",
    "rows_of",
]
