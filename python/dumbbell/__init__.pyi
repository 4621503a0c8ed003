from . import algorithms as algorithms
from . import catalogue as catalogue
from . import figures as figures
from . import own as own
from . import reproduce as reproduce
from . import scripts as scripts
from . import strategies as strategies
from . import why as why
from .algorithms import *
from .arrow import Table as Table
from .driving import drive as drive
from .errors import DumbbellError as DumbbellError
from .errors import EnvironmentLacks as EnvironmentLacks
from .errors import InvalidRun as InvalidRun
from .errors import ScenarioError as ScenarioError
from .own import MARK as MARK
from .own import PASS as PASS
from .own import SIGNAL as SIGNAL
from .own import Aqm as Aqm
from .own import BitsPerSecond as BitsPerSecond
from .own import Bytes as Bytes
from .own import CongestionControl as CongestionControl
from .own import Packets as Packets
from .own import Seconds as Seconds
from .own import drop as drop
from .own import evict as evict
from .own import mark as mark
from .own import parameter as parameter
from .own import signal as signal
from .result import Flow as Flow
from .result import Queue as Queue
from .result import Result as Result
from .result import Sweep as Sweep
from .scenario import Scenario as Scenario
from .stats import Interval as Interval
from .targets import target_rates as target_rates

__version__: str
