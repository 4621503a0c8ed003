from . import algorithms as algorithms
from . import catalogue as catalogue
from . import figures as figures
from . import reproduce as reproduce
from . import scripts as scripts
from . import why as why
from .algorithms import *
from .errors import DumbbellError as DumbbellError
from .errors import EnvironmentLacks as EnvironmentLacks
from .errors import InvalidRun as InvalidRun
from .errors import ScenarioError as ScenarioError
from .result import Result as Result
from .result import Sweep as Sweep
from .scenario import Scenario as Scenario
from .stats import Interval as Interval

__version__: str
